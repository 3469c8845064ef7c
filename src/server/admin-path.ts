// Which requests are not for AWS clients: the admin API's, and the paths of other emulators that it answers.

/** Every path that is not for AWS clients begins in one of these ways; checked before anything else is read. */
const ADMIN_PATH = /^\/(?:_millpond\/|_localstack\/|_aws\/sqs\/messages(?:[/?]|$)|moto-api\/|health(?:\?|$))/;

export function isAdminPath(target: string): boolean {
  return ADMIN_PATH.test(target);
}
