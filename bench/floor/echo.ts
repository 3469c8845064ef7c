// The floor: what HTTP alone costs in this Node on this machine. A plain socket, just enough parsing to find the end of a
// request, and an answer of the size that the request's path names. No server that does anything can be cheaper by much.
//
//   node echo.js PORT

import { createServer } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
const answers = new Map<string, string>();

createServer({ noDelay: true }, (socket) => {
  let received: Buffer | undefined;
  socket.on("data", (chunk: Buffer) => {
    received = received === undefined ? chunk : Buffer.concat([received, chunk]);
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = received.toString("latin1", 0, headEnd);
    const lengthAt = head.indexOf("content-length: ") + "content-length: ".length;
    const bodyBytes = Number.parseInt(head.slice(lengthAt, lengthAt + 10), 10);
    if (received.length < headEnd + HEAD_END.length + bodyBytes) return;
    received = undefined;
    socket.write(answerOf(head.slice("POST /".length, head.indexOf(" ", "POST /".length))), "latin1");
  });
  socket.on("error", () => undefined);
}).listen(Number(process.argv[2]), "127.0.0.1");

/** An answer of so many bytes, its head included. */
function answerOf(bytes: string): string {
  let answer = answers.get(bytes);
  if (answer === undefined) {
    const head = (length: number) => `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n`;
    const room = Math.max(0, Number(bytes) - head(0).length);
    const length = Math.max(0, Number(bytes) - head(room).length);
    answer = head(length) + "x".repeat(length);
    answers.set(bytes, answer);
  }
  return answer;
}
