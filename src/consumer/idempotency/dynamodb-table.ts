// The table, as the input of CreateTable and UpdateTimeToLive, and its one partition key.

export const KEY_NAME_DEFAULT = "pk";
/** Seconds since 1970, as DynamoDB wants it. Only for cleaning up: expiry is judged by `expiresAtMs`. */
export const TTL_NAME = "ttl";

export function dynamoDbTable(table: string, keyName: string = KEY_NAME_DEFAULT) {
  return {
    TableName: table,
    AttributeDefinitions: [{ AttributeName: keyName, AttributeType: "S" as const }],
    KeySchema: [{ AttributeName: keyName, KeyType: "HASH" as const }],
    BillingMode: "PAY_PER_REQUEST" as const,
  };
}

export function dynamoDbTimeToLive(table: string) {
  return { TableName: table, TimeToLiveSpecification: { AttributeName: TTL_NAME, Enabled: true } };
}
