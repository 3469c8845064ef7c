// Phone numbers whose owners want no text messages: nobody can say so here, since none are sent.

import { refuse } from "../../base/result.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { isPhoneNumber } from "./endpoint.ts";
import { answer, operation } from "./operation.ts";
import { invalid, noValue } from "./refusals.ts";

export const checkIfPhoneNumberIsOptedOut = operation("CheckIfPhoneNumberIsOptedOut", (input) => {
  const refused = checkNumber(input.phoneNumber);
  return refused === undefined ? answer({ isOptedOut: false }) : refuse(refused);
});

export const listPhoneNumbersOptedOut = operation("ListPhoneNumbersOptedOut", () => answer({ phoneNumbers: [] }));

export const optInPhoneNumber = operation("OptInPhoneNumber", (input) => {
  const refused = checkNumber(input.phoneNumber);
  return refused === undefined ? answer({}) : refuse(refused);
});

function checkNumber(phoneNumber: string | undefined): Refusal | undefined {
  if (phoneNumber === undefined || phoneNumber === "") return noValue("phoneNumber");
  return isPhoneNumber(phoneNumber) ? undefined : invalid(`phoneNumber Reason: ${phoneNumber} is not valid`);
}
