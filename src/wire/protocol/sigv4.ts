// Who is calling, as far as a request says it itself: access key and region from a Signature Version 4 header or from
// the X-Amz-Credential parameter of a presigned request, the access key alone from older signatures. Nothing is
// verified here.

import type { FormNode } from "./form.ts";
import { fieldOf } from "./form.ts";

export interface Caller {
  /** Absent for anonymous requests. */
  readonly accessKey?: string;
  /** Absent when the signature names none. */
  readonly region?: string;
  /** `20260131`. */
  readonly date?: string;
  readonly service?: string;
}

/** Callers get the account that their access key spells, as local tools write account ids into access keys. */
export const DEFAULT_ACCOUNT = "000000000000";

const ACCOUNT = /^\d{12}$/;
const REGION = /^[A-Za-z0-9-]{1,32}$/;
const HEADER_CREDENTIAL = /Credential=([^,\s]+)/;

/**
 * Who was read lately, by the part of the header that says it: `AWS4-HMAC-SHA256 Credential=...`, which a client sends
 * all day with ever new signatures behind it. Reading it anew was a seventh of reading a SendMessage.
 */
const knownCallers = new Map<string, Caller>();
const CALLERS_KEPT_MAX = 1000;
const CALLER_CHARACTERS_MAX = 256;

export function readCaller(authorization: string | undefined, form: FormNode | undefined): Caller {
  const inHeader = authorization === undefined ? undefined : callerInHeader(authorization);
  if (inHeader !== undefined) return inHeader;
  const credential = form === undefined ? undefined : fieldOf(form, "X-Amz-Credential");
  if (credential !== undefined) return readCredential(credential);
  const older = form === undefined ? undefined : fieldOf(form, "AWSAccessKeyId");
  return older === undefined || older === "" ? {} : { accessKey: older };
}

export function accountOf(caller: Caller): string {
  const { accessKey } = caller;
  return accessKey?.length === 12 && isAccountId(accessKey) ? accessKey : DEFAULT_ACCOUNT;
}

export function isAccountId(text: string): boolean {
  return ACCOUNT.test(text);
}

function callerInHeader(authorization: string): Caller | undefined {
  const comma = authorization.indexOf(",");
  const naming = comma === -1 ? authorization : authorization.slice(0, comma);
  const known = knownCallers.get(naming);
  if (known !== undefined) return known;
  const credential = HEADER_CREDENTIAL.exec(authorization)?.[1];
  if (credential === undefined) return undefined;
  const caller = readCredential(credential);
  // A credential ends at a comma at the latest: one that was found in this part is the whole header's.
  if (naming.length <= CALLER_CHARACTERS_MAX && HEADER_CREDENTIAL.test(naming)) {
    if (knownCallers.size >= CALLERS_KEPT_MAX) knownCallers.clear();
    knownCallers.set(ownCopyOf(naming), caller);
  }
  return caller;
}

/** A slice keeps the whole text alive that it was cut from. */
function ownCopyOf(headerText: string): string {
  return Buffer.from(headerText, "latin1").toString("latin1");
}

/** `{accessKey}/{date}/{region}/{service}/aws4_request`; an access key may hold slashes, the rest may not. */
function readCredential(credential: string): Caller {
  const parts = credential.split("/");
  const isWhole = parts.length >= 5;
  const accessKey = isWhole ? parts.slice(0, -4).join("/") : parts[0];
  const caller: Writable<Caller> = accessKey === "" || accessKey === undefined ? {} : { accessKey };
  if (!isWhole) return caller;
  const [date, region, service] = parts.slice(-4) as [string, string, string];
  caller.date = date;
  caller.service = service;
  if (REGION.test(region)) caller.region = region;
  return caller;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
