// Mail addresses that this server writes to and from.

/** An address that needs no quoting, in ASCII: nothing in it can end a header or a command. */
export function isMailAddress(text: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(text);
}
