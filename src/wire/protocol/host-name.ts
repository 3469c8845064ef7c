// What host names of AWS's form say: `sns.eu-west-1.amazonaws.com` names a service and a region, and so does the same
// under a local domain.

const AWS_REGION = "[a-z]{2,4}(?:-[a-z]+)+-\\d";
const REGION = new RegExp(`^${AWS_REGION}$`);
/** Any other first label is a host of somebody's own, whatever its second one looks like. */
const SERVICES = "sqs|sns|events|scheduler|lambda|monitoring";
/** `sqs.eu-west-1.amazonaws.com` and SQS's older `eu-west-1.queue.amazonaws.com`. */
const REGION_HOST = new RegExp(`^(?:(?:${SERVICES})\\.(${AWS_REGION})|(${AWS_REGION})\\.queue)\\.`);
const SERVICE_HOST = new RegExp(`^(${SERVICES})\\.`);

/** Of the form that AWS's regions have; a signature may name any other. */
export function isRegion(text: string): boolean {
  return REGION.test(text);
}

export function regionOfHost(host: string): string | undefined {
  const match = REGION_HOST.exec(host);
  return match?.[1] ?? match?.[2];
}

/** By the name that signatures use, too. */
export function serviceOfHost(host: string): string | undefined {
  return SERVICE_HOST.exec(host)?.[1];
}
