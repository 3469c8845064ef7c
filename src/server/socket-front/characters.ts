// Which bytes may stand where in a request's head (RFC 9110, 9112), as tables that a parser looks each byte up in.

export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;

/** Names of headers and methods. */
export const IS_TOKEN = tableOf("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
/** What a URL may hold, a fragment left out; stricter than node, which lets the upper half of the bytes through. */
export const IS_TARGET = tableOfRange(0x21, 0x7e, "#");
/** Values of headers: everything but control characters; bytes of the upper half are read as Latin-1. */
export const IS_VALUE = tableOfRange(0x20, 0xff, "\u007f");
IS_VALUE[TAB] = 1;
/** A host name or address with a port, percent-encoding and all. */
export const IS_HOST = tableOf("-._~%!$&'()*+,;=:[]0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

/** 0-15, or 255 for what is no hexadecimal digit. */
export const HEX_VALUE = new Uint8Array(256).fill(255);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  HEX_VALUE[digit.charCodeAt(0)] = value;
  HEX_VALUE[digit.toUpperCase().charCodeAt(0)] = value;
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

function tableOfRange(first: number, last: number, without: string): Uint8Array {
  const table = new Uint8Array(256).fill(1, first, last + 1);
  for (const character of without) table[character.charCodeAt(0)] = 0;
  return table;
}
