// Is a text well-formed XML 1.0? No more than answers need (elements, attributes, references), and strict about what a
// lenient parser would forgive: characters that XML does not have, bare ampersands, tags that do not match.

import assert from "node:assert/strict";

const TOKEN = /<\/([\w.-]+)>|<([\w.-]+)((?: [\w.:-]+="[^"<&]*")*)(\/?)>|([^<]+)/y;
const REFERENCES = /&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-F]{1,6});)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const NO_XML_CHARACTER = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

export function assertWellFormedXml(xml: string): void {
  const character = NO_XML_CHARACTER.exec(xml);
  assert.equal(character, null, `XML cannot hold the character at ${character?.index}`);
  const open: string[] = [];
  let rootCount = 0;
  TOKEN.lastIndex = xml.startsWith("<?xml") ? xml.indexOf("?>") + 2 : 0;
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex;
    const [, closed, opened, , isEmpty, text] =
      TOKEN.exec(xml) ?? assert.fail(`no XML at ${at}: ${xml.slice(at, at + 80)}`);
    if (closed !== undefined) assert.equal(closed, open.pop(), `a closing tag at ${at}`);
    if (opened !== undefined && open.length === 0) rootCount += 1;
    if (opened !== undefined && isEmpty === "") open.push(opened);
    if (text !== undefined) {
      assert.ok(open.length > 0 || text.trim() === "", `text outside of the root element at ${at}`);
      assert.ok(!REFERENCES.test(text), `a bare ampersand at ${at}`);
    }
  }
  assert.deepEqual(open, [], "elements were left open");
  assert.equal(rootCount, 1, "one root element");
}
