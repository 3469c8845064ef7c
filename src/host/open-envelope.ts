// From a row's bytes to the message that a consumer sees. A message that was sent is what was stored; a copy of a
// published message is made here, when somebody reads it: its body is the message text (raw delivery) or the
// notification around it, signed. Signatures are of the same bytes every time, so a message that is received twice is
// the same twice.

import { createHash } from "node:crypto";
import {
  type Copy,
  decodeCopy,
  decodeEnvelope,
  type Envelope,
  isCopy,
  messageFor,
  notificationText,
  notificationToSign,
  type Signature,
  type SignatureVersion,
} from "../engine/index.ts";

/** How notifications show where they come from. */
export interface NotificationSettings {
  /** Where clients reach this server, without a slash at the end: `http://localhost:4566`. */
  baseUrl: () => string;
  /** Signs for subscribers that check; absent: notifications are not signed. */
  signer?: NotificationSigner;
}

export interface NotificationSigner {
  /** Version 1 is SHA1 with RSA, version 2 SHA256 with RSA (PKCS #1 v1.5); base64. */
  sign(text: string, version: SignatureVersion): Promise<string>;
  /** Where the certificate of the key is served. */
  certUrl(): string;
}

/** Who a message comes from that SNS delivered: AWS's own principal for the service. */
export const SNS_SENDER_ID = "AIDAIT2UOQQY3AUEKVGXU";

export class EnvelopeOpener {
  readonly #settings: NotificationSettings;
  readonly #signatureVersionOf: (topicArn: string) => SignatureVersion;

  constructor(settings: NotificationSettings, signatureVersionOf: (topicArn: string) => SignatureVersion) {
    this.#settings = settings;
    this.#signatureVersionOf = signatureVersionOf;
  }

  open(bytes: Uint8Array): Envelope | Promise<Envelope> {
    if (!isCopy(bytes)) return decodeEnvelope(bytes);
    const copy = decodeCopy(bytes);
    return copy.raw ? rawMessage(copy) : this.#notification(copy);
  }

  /** Undefined for FIFO topics, whose notifications are not signed (fanout.md A7), and without a signer. */
  async signatureOf(
    copy: Pick<Copy, "publication">,
    protocol: string,
    version?: SignatureVersion,
  ): Promise<Signature | undefined> {
    const { publication } = copy;
    if (publication.sequenceNumber !== undefined) return undefined;
    return this.sign(notificationToSign(publication, protocol), publication.topicArn, version);
  }

  /** In the topic's own version unless another is asked for. */
  async sign(
    text: string,
    topicArn: string,
    version = this.#signatureVersionOf(topicArn),
  ): Promise<Signature | undefined> {
    const { signer } = this.#settings;
    if (signer === undefined) return undefined;
    return { version, value: await signer.sign(text, version), certUrl: signer.certUrl() };
  }

  get baseUrl(): string {
    return this.#settings.baseUrl();
  }

  async #notification(copy: Copy): Promise<Envelope> {
    const text = notificationText(copy, "sqs", this.baseUrl, await this.signatureOf(copy, "sqs"));
    return message(copy, text, []);
  }
}

function rawMessage(copy: Copy): Envelope {
  return message(copy, messageFor(copy.publication, "sqs"), copy.publication.attributes);
}

function message(copy: Copy, text: string, attributes: Envelope["content"]["attributes"]): Envelope {
  const { messageId, sentAtMs, fifo, publication } = copy;
  const body = Buffer.from(text);
  const content: Envelope["content"] = { body, bodyMd5: createHash("md5").update(body).digest(), attributes };
  if (publication.traceHeader !== undefined) content.traceHeader = publication.traceHeader;
  const envelope: Envelope = { messageId, sentAtMs, senderId: SNS_SENDER_ID, content };
  if (fifo && publication.deduplicationId !== undefined) envelope.deduplicationId = publication.deduplicationId;
  return envelope;
}
