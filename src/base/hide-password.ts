// Addresses for logs and reports: `http://user:secret@host/path` becomes `http://user:****@host/path`. What is not the
// URL of an HTTP endpoint stays as it is.

const WITH_PASSWORD = /^(https?:\/\/[^:/\\?#@]*):[^/\\?#]*@/i;

export function hidePassword(address: string): string {
  return address.replace(WITH_PASSWORD, "$1:****@");
}
