// Every locked package must run on the Node that package.json promises, and the lock file must name no download
// address: both are easy to break with one careless install.

import { readFileSync } from "node:fs";

interface LockedPackage {
  version?: string;
  resolved?: string;
  engines?: { node?: string };
}

/** The oldest Node on which the project promises to run. */
const FLOOR = { major: 20, minor: 15 };

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, LockedPackage> };
const problems: string[] = [];
for (const [path, locked] of Object.entries(lock.packages)) {
  if (path === "") continue;
  const range = locked.engines?.node;
  if (range !== undefined && !allowsFloor(range)) problems.push(`${path} ${locked.version} wants Node ${range}`);
  if (locked.resolved !== undefined) problems.push(`${path} names a download address in package-lock.json`);
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "All locked packages run on the oldest Node promised." : "See above.");
process.exitCode = problems.length === 0 ? 0 : 1;

/** Enough of range syntax for `engines`: alternatives of comparisons; what is not understood is a problem. */
function allowsFloor(range: string): boolean {
  const tight = range.replace(/([<>=^~])\s+/g, "$1");
  return tight.split("||").some((alternative) => alternative.trim().split(/\s+/).every(allowsComparison));
}

function allowsComparison(comparison: string): boolean {
  const match = /^(>=|>|<=|<|\^|~|=)?\s*v?(\d+)(?:\.(\d+|x|\*))?/.exec(comparison.trim());
  if (match === null) return comparison.trim() === "*" || comparison.trim() === "";
  const [, operator = "=", majorText, minorText] = match;
  const major = Number(majorText);
  const minor = /^\d+$/.test(minorText ?? "") ? Number(minorText) : 0;
  const order = FLOOR.major - major || FLOOR.minor - minor;
  if (operator === ">=" || operator === ">") return order >= 0;
  if (operator === "<" || operator === "<=") return order < 0;
  if (operator === "^" || (operator === "=" && minorText === undefined))
    return FLOOR.major === major && FLOOR.minor >= minor;
  return order === 0;
}
