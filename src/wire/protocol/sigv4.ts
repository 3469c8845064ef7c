// Who is calling, as far as a request says it itself: access key and region from a Signature Version 4 header or from
// the X-Amz-Credential parameter of a presigned request, the access key alone from older signatures. Nothing is
// verified here.

import type { FormNode } from "./form.ts";
import { fieldOf } from "./form.ts";

export interface Caller {
  /** Absent for anonymous requests. */
  accessKey?: string;
  /** Absent when the signature names none. */
  region?: string;
  /** `20260131`. */
  date?: string;
  service?: string;
}

/** Callers get the account that their access key spells, as local tools write account ids into access keys. */
export const DEFAULT_ACCOUNT = "000000000000";

const ACCOUNT = /^\d{12}$/;
const REGION = /^[A-Za-z0-9-]{1,32}$/;
const HEADER_CREDENTIAL = /Credential=([^,\s]+)/;

export function readCaller(authorization: string | undefined, form: FormNode | undefined): Caller {
  const inHeader = authorization === undefined ? undefined : HEADER_CREDENTIAL.exec(authorization)?.[1];
  const credential = inHeader ?? (form === undefined ? undefined : fieldOf(form, "X-Amz-Credential"));
  if (credential !== undefined) return readCredential(credential);
  const older = form === undefined ? undefined : fieldOf(form, "AWSAccessKeyId");
  return older === undefined || older === "" ? {} : { accessKey: older };
}

export function accountOf(caller: Caller): string {
  return caller.accessKey !== undefined && isAccountId(caller.accessKey) ? caller.accessKey : DEFAULT_ACCOUNT;
}

export function isAccountId(text: string): boolean {
  return ACCOUNT.test(text);
}

/** `{accessKey}/{date}/{region}/{service}/aws4_request`; an access key may hold slashes, the rest may not. */
function readCredential(credential: string): Caller {
  const parts = credential.split("/");
  const isWhole = parts.length >= 5;
  const accessKey = isWhole ? parts.slice(0, -4).join("/") : parts[0];
  const caller: Caller = accessKey === "" || accessKey === undefined ? {} : { accessKey };
  if (!isWhole) return caller;
  const [date, region, service] = parts.slice(-4) as [string, string, string];
  caller.date = date;
  caller.service = service;
  if (REGION.test(region)) caller.region = region;
  return caller;
}
