// A mail as it crosses the wire (RFC 5322, with words of other alphabets as in RFC 2047): headers, and a text in
// base64, so that no line of it is too long, begins with a dot or holds anything but ASCII.

export interface Mail {
  from: string;
  /** Shown beside the address. */
  fromName?: string;
  to: string;
  subject: string;
  text: string;
  sentAtMs: number;
  /** Unique, without brackets: `id@domain`. */
  messageId: string;
}

const LINE_END = "\r\n";
const BASE64_LINE = /.{1,76}/g;
/** An encoded word is 75 characters at most: 12 around it, and base64 of these many bytes. */
const WORD_BYTES_MAX = 45;
const PLAIN = /^[\x20-\x7e]*$/;

export function mailText(mail: Mail): string {
  const { from, fromName, to, subject, text, sentAtMs, messageId } = mail;
  const headers = [
    `From: ${fromName === undefined ? from : `${phrase(fromName)} <${from}>`}`,
    `To: ${to}`,
    `Subject: ${words(subject)}`,
    `Date: ${new Date(sentAtMs).toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${messageId}>`,
    // Keeps holiday replies away (RFC 3834).
    "Auto-Submitted: auto-generated",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=UTF-8",
    "Content-Transfer-Encoding: base64",
  ];
  const body = Buffer.from(text.replace(/\r\n|\r|\n/g, LINE_END)).toString("base64");
  return [...headers, "", ...(body.match(BASE64_LINE) ?? []), ""].join(LINE_END);
}

/** A name before an address. */
function phrase(name: string): string {
  return PLAIN.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : words(name);
}

function words(text: string): string {
  if (PLAIN.test(text) && !text.includes("=?")) return text;
  return chunks(text.replace(/[\r\n]+/g, " "))
    .map((chunk) => `=?UTF-8?B?${Buffer.from(chunk).toString("base64")}?=`)
    .join(`${LINE_END} `);
}

/** No character is cut in two. */
function chunks(text: string): string[] {
  const found: string[] = [];
  let current = "";
  for (const character of text) {
    if (Buffer.byteLength(current + character) > WORD_BYTES_MAX) {
      found.push(current);
      current = "";
    }
    current += character;
  }
  return [...found, current];
}
