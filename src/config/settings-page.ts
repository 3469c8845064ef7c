// Renders the settings table as docs/settings.md.

import { environmentName } from "./setting.ts";
import type { AnySetting } from "./settings.ts";
import { settingRows } from "./settings.ts";

export function settingsPage(): string {
  const rows = settingRows.map(
    ([, row]) =>
      `| \`${row.name}\` | ${row.default === undefined ? "–" : `\`${row.format(row.default)}\``} | ${row.scope} | ${cell(row.help)} |`,
  );
  const names = settingRows.map(
    ([, row]) => `| \`${row.name}\` | \`${cell(flagOf(row))}\` | \`${environmentName(row)}\` | ${cell(row.allowed)} |`,
  );
  return `# Settings

Generated from \`src/config/settings.ts\` by \`npm run generate\`; do not edit.

A setting can be given as a flag of \`millpond serve\`, as an environment variable, or as a key of the JSON file that
\`--config\` names. A flag wins over the environment, the environment over the file, the file over the default. An empty
environment variable counts as not set. On/off settings take \`--name\` and \`--no-name\` as flags and \`true\` or \`false\`
elsewhere. Relative paths start at the working folder. An unknown key or a value that is not allowed stops the start.

\`cluster\` settings must be the same on all members; \`member\` settings may differ.

| setting | default | scope | what it does |
|---|---|---|---|
${rows.join("\n")}

| setting | flag | environment | allowed |
|---|---|---|---|
${names.join("\n")}

## Settings that depend on each other

- \`memory\` together with \`data\` or \`durability\` from the same source is refused; from different sources the stronger
  one wins.
- \`allow-reset\` is refused unless \`host\` is a loopback address.
- \`tls-cert\` and \`tls-key\` come together, and so do \`smtp-url\` and \`mail-from\`.
- \`segment-bytes-max\` must be at least twice \`request-bytes-max\`.

## Example

\`\`\`json
{
  "host": "0.0.0.0",
  "data": "/var/lib/millpond",
  "public-url": "https://queues.example.com",
  "body-cache-bytes-max": "256MiB"
}
\`\`\`
`;
}

function flagOf(row: AnySetting): string {
  return row.placeholder === "" ? `--${row.name}` : `--${row.name} ${row.placeholder}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
