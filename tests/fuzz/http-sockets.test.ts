import { attack } from "./http-attacks.ts";

attack("sockets");
