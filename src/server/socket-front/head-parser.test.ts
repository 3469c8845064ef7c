import assert from "node:assert/strict";
import { test } from "node:test";
import { HeadParser, MORE } from "./head-parser.ts";
import { ProtocolError } from "./protocol-error.ts";
import { RequestHeaders } from "./request-headers.ts";

function parse(text: string, parser = new HeadParser()): number {
  const bytes = Buffer.from(text, "latin1");
  return parser.parse(bytes, 0, bytes.length);
}

function headersOf(lines: string): RequestHeaders {
  const parser = new HeadParser();
  const bytes = Buffer.from(`..GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`, "latin1");
  const end = parser.parse(bytes, 2, bytes.length);
  assert.equal(end, bytes.length);
  return new RequestHeaders(parser, bytes, 2, end);
}

const HEAD =
  "POST /a?b=c HTTP/1.1\r\nhost: pond:1\r\nX-Amz-Target:AmazonSQS.SendMessage\r\nCONTENT-LENGTH: \t12 \r\nX: y\r\n\r\n";

test("a head is read up to the byte behind it", () => {
  const parser = new HeadParser();
  assert.equal(parse(`${HEAD}hello`, parser), HEAD.length);
  const { method, target, contentLength, isChunked, keepsAlive, isHttp10 } = parser;
  assert.deepEqual(
    { method, target, contentLength, isChunked, keepsAlive, isHttp10 },
    { method: "POST", target: "/a?b=c", contentLength: 12, isChunked: false, keepsAlive: true, isHttp10: false },
  );
});

test("a head that arrives byte by byte is the same head, wherever its bytes lie", () => {
  const parser = new HeadParser();
  for (let length = 1; length < HEAD.length; length++) assert.equal(parse(HEAD.slice(0, length), parser), MORE);
  const moved = Buffer.from(`xxx${HEAD}`);
  assert.equal(parser.parse(moved, 3, moved.length), moved.length);
  assert.equal(parser.contentLength, 12);
  assert.equal(new RequestHeaders(parser, moved, 3, moved.length)["x-amz-target"], "AmazonSQS.SendMessage");
});

test("a parser that refused a head reads the next one afresh", () => {
  const parser = new HeadParser();
  assert.equal(parse("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX Y", parser), ProtocolError.headerLine);
  assert.equal(parse("GET / HTTP/1.1\r\nHost: a\r\n\r\n", parser), 27);
  assert.equal(parser.contentLength, -1);
});

const REFUSED: [head: string, error: number][] = [
  ["nonsense\r\n", ProtocolError.requestLine],
  ["\u0016\u0003\u0001", ProtocolError.requestLine],
  [" GET / HTTP/1.1\r\n", ProtocolError.requestLine],
  ["GET  / HTTP/1.1\r\n", ProtocolError.requestLine],
  ["GET /\r\n", ProtocolError.requestLine],
  ["GET / HTTP/1.1 \r\n", ProtocolError.requestLine],
  ["GET / HTTP/1.2\r\n", ProtocolError.requestLine],
  ["GET / http/1.1\r\n", ProtocolError.requestLine],
  ["GET / HTTP/1.1\n", ProtocolError.requestLine],
  ["GET /\u0080 HTTP/1.1\r\n", ProtocolError.requestLine],
  ["GET /#x HTTP/1.1\r\n", ProtocolError.requestLine],
  ["CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", ProtocolError.method],
  ["get / HTTP/1.1\r\nHost: a\r\n\r\n", ProtocolError.method],
  ["GET a:1 HTTP/1.1\r\nHost: a\r\n\r\n", ProtocolError.target],
  ["GET * HTTP/1.1\r\nHost: a\r\n\r\n", ProtocolError.target],
  ["GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", ProtocolError.target],
  ["GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", ProtocolError.target],
  ["GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", ProtocolError.target],
  ["GET / HTTP/1.1\r\n\r\n", ProtocolError.host],
  ["GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", ProtocolError.host],
  ["GET / HTTP/1.1\r\nHost: a b\r\n\r\n", ProtocolError.host],
  ["GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", ProtocolError.host],
  ["GET / HTTP/1.1\r\nHost: a\r\n X: y\r\n", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\r\n: y\r\n", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\r\nX\r\n", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\nX: y\r\n", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\r\nX: y\rZ: y\r\n", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\r\nX: \u007f\r\n", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\r\n\rX", ProtocolError.headerLine],
  ["GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", ProtocolError.contentLength],
  ["GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", ProtocolError.contentLength],
  ["GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1,1\r\n\r\n", ProtocolError.contentLength],
  ["GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999\r\n\r\n", ProtocolError.contentLength],
  [
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ProtocolError.transferEncoding,
  ],
  ["GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", ProtocolError.transferEncoding],
  ["GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", ProtocolError.transferEncoding],
  ["GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", ProtocolError.transferEncoding],
  ["GET / HTTP/1.1\r\nHost: a\r\nX-Amz-Target: a\r\nX-Amz-Target: b\r\n\r\n", ProtocolError.repeatedHeader],
  ["GET / HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\r\n", ProtocolError.expectation],
  [`GET /${"x".repeat(70_000)}`, ProtocolError.headTooLarge],
  [`GET / HTTP/1.1\r\nHost: a\r\n${"a: b\r\n".repeat(300)}`, ProtocolError.headTooLarge],
];

for (const [head, error] of REFUSED) {
  test(`refused: ${JSON.stringify(head.slice(0, 100))}`, () => assert.equal(parse(head), error));
}

test("whole URLs and the star of OPTIONS are targets", () => {
  for (const target of ["http://a", "https://a.test:80/x?y", "HTTP://[::1]:9/", "http://a?x", "//x", "/"]) {
    assert.ok(parse(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`) > 0, target);
  }
  assert.ok(parse("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n") > 0);
});

test("who says what about keeping the connection", () => {
  const keepsAlive = (version: string, lines: string) => {
    const parser = new HeadParser();
    assert.ok(parse(`GET / HTTP/${version}\r\nHost: a\r\n${lines}\r\n`, parser) > 0);
    return parser.keepsAlive;
  };
  assert.equal(keepsAlive("1.1", ""), true);
  assert.equal(keepsAlive("1.1", "Connection: Close\r\n"), false);
  assert.equal(keepsAlive("1.1", "Connection: upgrade,\tclose\r\n"), false);
  assert.equal(keepsAlive("1.1", "Connection: Upgrade, HTTP2-Settings\r\n"), true);
  assert.equal(keepsAlive("1.0", ""), false);
  assert.equal(keepsAlive("1.0", "Connection: Keep-Alive\r\n"), true);
  assert.equal(keepsAlive("1.0", "Connection: upgrade\r\n"), false);
  for (const read of ["keep-alive\t", "keep-alive ", "keep-alive, x", "x, keep-alive"]) {
    assert.equal(keepsAlive("1.0", `Connection: ${read}\r\n`), false, "readers differ: closed");
  }
});

test("every header can be read by its name, the known ones and all others", () => {
  const headers = headersOf("AUTHORIZATION: me\r\nX-One: \t1\t \r\nx-one:\r\nX-ONE: 3\r\nX-Empty:\r\nE: \u00e9\r\n");
  assert.equal(headers.host, "a");
  assert.equal(headers.authorization, "me");
  assert.equal(headers["x-one"], "1, , 3");
  assert.equal(headers["x-empty"], "");
  assert.equal(headers["e"], "\u00e9");
  assert.equal(headers["x-on"], undefined);
  assert.equal(headers["x-amz-target"], undefined);
});

test("names that objects know are headers like any other", () => {
  const headers = headersOf("__proto__: 1\r\nconstructor: 2\r\n");
  assert.deepEqual(
    [Reflect.get(headers, "__proto__"), headers["constructor"], headers["tostring"]],
    ["1", "2", undefined],
  );
});

test("lists on several lines are one list", () => {
  const headers = headersOf("Accept: text/html\r\nAccept: */*\r\nX-Forwarded-Host: a\r\nOrigin: b\r\n");
  assert.deepEqual([headers.accept, headers["x-forwarded-host"], headers.origin], ["text/html, */*", "a", "b"]);
});
