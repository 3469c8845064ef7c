// What the PostgreSQL parts need of a driver. `pg`'s Pool and PoolClient fit as they are; the package is the user's.

export interface PostgresClient {
  /** One statement, or several without values. Rejects with what the server says, `code` being its SQLSTATE. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

export type PooledClient<Client> = Client & { release(error?: Error | boolean): void };

export interface PostgresPool<Client extends PostgresClient = PostgresClient> extends PostgresClient {
  /** A connection for the caller alone until its `release`; `release(true)` closes it. */
  connect(): Promise<PooledClient<Client>>;
}

/** Table names go into SQL as they are, so only plain ones are taken: `name` or `schema.name`. */
export function plainTableName(name: string): string {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(name))
    throw new TypeError(`"${name}" is no plain table name: lower-case letters, digits and _, with at most one dot.`);
  return name;
}

/** SQLSTATE, when the server refused a statement; undefined when it was not reached or the connection broke. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * A connection that breaks between two statements says so by an event, which ends the process if nobody listens; the pool
 * listens only while it has the connection. Answers how to stop listening.
 */
export function onBroken(client: object, heard: () => void): () => void {
  if (!hasEvents(client)) return () => {};
  client.on("error", heard);
  return () => void client.removeListener("error", heard);
}

interface Events {
  on(event: "error", listener: () => void): unknown;
  removeListener(event: "error", listener: () => void): unknown;
}

function hasEvents(client: object): client is Events {
  return "on" in client && "removeListener" in client;
}
