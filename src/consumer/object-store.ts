// Where large payloads are kept: three calls that every S3 client, and anything like it, can make.

import { InvalidMessage } from "./errors.ts";

export interface ObjectStore {
  /** Resolves when the text is kept; overwrites what was there. Rejects when it was not kept. */
  put(bucket: string, key: string, body: string): Promise<void>;
  /** Rejects with InvalidMessage when there is no such object, with another error when the store did not answer. */
  get(bucket: string, key: string, signal?: AbortSignal): Promise<string>;
  /** Also resolves when there is no such object. */
  delete(bucket: string, key: string): Promise<void>;
}

interface ObjectInput {
  Bucket: string;
  Key: string;
}

/** `@aws-sdk/client-s3`, as far as it is needed: pass a client and the module's three commands. */
export interface S3Parts {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK overloads `send` for every command
  client: { send(command: any, options?: any): Promise<any> };
  PutObjectCommand: new (input: ObjectInput & { Body: string; ContentType?: string }) => object;
  GetObjectCommand: new (input: ObjectInput) => object;
  DeleteObjectCommand: new (input: ObjectInput) => object;
}

export function s3ObjectStore(s3: S3Parts): ObjectStore {
  return {
    async put(bucket, key, body) {
      await s3.client.send(new s3.PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
    },
    async get(bucket, key, signal) {
      const options = signal === undefined ? undefined : { abortSignal: signal };
      try {
        const answer = await s3.client.send(new s3.GetObjectCommand({ Bucket: bucket, Key: key }), options);
        return await answer.Body.transformToString("utf-8");
      } catch (error) {
        if ((error as Error).name !== "NoSuchKey") throw error;
        throw new InvalidMessage("the large payload is gone", { bucket, key }, error);
      }
    },
    async delete(bucket, key) {
      await s3.client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}
