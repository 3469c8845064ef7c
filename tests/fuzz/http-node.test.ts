import { attack } from "./http-attacks.ts";

attack("node");
