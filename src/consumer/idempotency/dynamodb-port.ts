// What the DynamoDB store needs of a driver. The `DynamoDB` class of @aws-sdk/client-dynamodb fits as it is; the package
// is the user's. Attribute values are in DynamoDB's own form: { S: "text" }, { N: "1" }.

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own union, which cannot be named without importing the SDK
export type AttributeValue = any;

export type Item = Record<string, AttributeValue>;

/** One entry of TransactWriteItems: a Put, Update, Delete or ConditionCheck, as the SDK takes it. */
export interface TransactWriteItem {
  /** Writes a whole item. */
  Put?: object;
  /** Changes an item, or makes it. */
  Update?: object;
  /** Removes an item. */
  Delete?: object;
  /** Changes nothing; refuses the transaction when its condition does not hold. */
  ConditionCheck?: object;
}

export interface DynamoDb {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's inputs, see above
  getItem(input: any): Promise<{ Item?: Item | undefined }>;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's inputs, see above
  updateItem(input: any): Promise<{ Attributes?: Item | undefined }>;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's inputs, see above
  transactWriteItems(input: any): Promise<unknown>;
}

/** By name and not by class: the classes are in the user's package, perhaps in two versions. */
export function isNamed(error: unknown, name: string): boolean {
  return (error as { name?: unknown } | undefined)?.name === name;
}

/** Why each action of a transaction was refused; "None" for those that were not. */
export function cancellationCodes(error: unknown): string[] {
  const reasons = (error as { CancellationReasons?: { Code?: string }[] } | undefined)?.CancellationReasons ?? [];
  return reasons.map(({ Code }) => Code ?? "None");
}
