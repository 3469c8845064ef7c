// What the host asks of the world outside when it delivers: a port, so that the host is tested without sockets and the
// server alone decides where requests may go.

export interface OutboundPost {
  /** http or https; user and password in it become an Authorization header. */
  url: string;
  headers: Record<string, string>;
  body: string;
  /** For the whole exchange. */
  timeoutMs: number;
}

export interface OutboundMail {
  to: string;
  /** DisplayName of the topic, for the sender's name. */
  fromName?: string;
  subject: string;
  text: string;
}

export type OutboundResult =
  /** Redirects are not followed: their status is the answer. */
  | { is: "answered"; status: number }
  | {
      is: "failed";
      /** In words. */
      reason: string;
      /** Trying again is no use: the settings do not allow the address, the URL makes no sense. */
      forGood: boolean;
    };

export interface Outbound {
  /** Never rejects. */
  post(post: OutboundPost, signal: AbortSignal): Promise<OutboundResult>;
  /** Absent: no mail server is configured. */
  mail?: (mail: OutboundMail, signal: AbortSignal) => Promise<OutboundResult>;
}
