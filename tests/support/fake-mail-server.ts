// A mail server that says what a test wants, and keeps what it was told.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { projectRoot } from "./project.ts";

const FOLDER = join(projectRoot, "tests", "support", "tls");
export const cert = readFileSync(join(FOLDER, "certificate.pem"), "utf8");
const key = readFileSync(join(FOLDER, "key.pem"), "utf8");

export interface FakeMailServer {
  port: number;
  /** Lines of the clients, the mail among them. */
  said: string[];
  /** Waits for the next mail that was handed over whole. Its text has come in base64. */
  nextMail(): Promise<{ headers: string[]; text: string }>;
}

/** Answers by the first word of a line; `undefined`: not at all. */
export type FakeMailAnswers = Record<string, string | undefined>;

const AGREES: FakeMailAnswers = {
  connect: "220 hi",
  EHLO: "250-fake\r\n250 SIZE 1000",
  DATA: "354 go",
  QUIT: "221 bye",
};

export async function fakeMailServer(
  t: { after(clean: () => void): void },
  answers: FakeMailAnswers = {},
  secure = false,
): Promise<FakeMailServer> {
  const said: string[] = [];
  const mails: string[][] = [];
  let arrived = () => {};
  const sockets = new Set<Socket>();
  const all: FakeMailAnswers = { ...AGREES, ...answers };
  function talk(socket: Socket, greets: boolean): void {
    sockets.add(socket);
    let inData = false;
    const mail: string[] = [];
    let received = "";
    const answer = (word: string) => {
      const text = word in all ? all[word] : "250 ok";
      if (text !== undefined) socket.write(`${text}\r\n`);
    };
    const onLine = (line: string) => {
      said.push(line);
      if (inData) {
        inData = line !== ".";
        if (inData) return void mail.push(line);
        answer(".");
        mails.push(mail.splice(0));
        arrived();
        return;
      }
      const word = line.split(/[ :]/)[0] ?? "";
      inData = word === "DATA";
      answer(word);
      if (word !== "STARTTLS") return;
      socket.removeAllListeners("data");
      all["EHLO"] = answers["EHLO inside"] ?? "250 fake";
      talk(new TLSSocket(socket, { isServer: true, cert, key }), false);
    };
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      received += chunk;
      for (let end = received.indexOf("\r\n"); end >= 0; end = received.indexOf("\r\n")) {
        const line = received.slice(0, end);
        received = received.slice(end + 2);
        onLine(line);
      }
    });
    if (greets) answer("connect");
  }
  const server = createServer((socket) => {
    if (!secure) return talk(socket, true);
    sockets.add(socket.on("error", () => undefined));
    talk(new TLSSocket(socket, { isServer: true, cert, key }), true);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    said,
    async nextMail() {
      while (mails.length === 0) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      const lines = mails.shift() as string[];
      const blank = lines.indexOf("");
      return {
        headers: lines.slice(0, blank),
        text: Buffer.from(lines.slice(blank + 1).join(""), "base64").toString(),
      };
    },
  };
}
