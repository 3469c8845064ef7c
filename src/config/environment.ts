// The one file that reads process.env. Server settings come from MILLPOND_* (settings.ts); the command line's
// client side follows the variables that AWS's own tools read.

export type Environment = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): Environment {
  return process.env;
}

export const ENDPOINT_DEFAULT = "http://127.0.0.1:4566";
export const ACCOUNT_DEFAULT = "000000000000";
export const REGION_DEFAULT = "us-east-1";

/** Where client commands send their requests, and as whom. */
export interface ClientEnvironment {
  endpoint: string;
  region: string;
  account: string;
}

/** `service` as AWS's variables spell it: `SQS`. */
export function clientEnvironment(environment: Environment, service: string): ClientEnvironment {
  const accessKeyId = environment.AWS_ACCESS_KEY_ID ?? "";
  return {
    endpoint: environment[`AWS_ENDPOINT_URL_${service}`] || environment.AWS_ENDPOINT_URL || ENDPOINT_DEFAULT,
    region: environment.AWS_REGION || environment.AWS_DEFAULT_REGION || REGION_DEFAULT,
    account: /^\d{12}$/.test(accessKeyId) ? accessKeyId : ACCOUNT_DEFAULT,
  };
}

/** https://no-color.org: any non-empty value turns colour off. */
export function wantsColour(environment: Environment, isTerminal: boolean): boolean {
  return isTerminal && !environment.NO_COLOR && environment.TERM !== "dumb";
}
