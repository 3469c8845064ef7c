// What the worker does, whichever database it has.

export interface Payment {
  id: string;
  cents: number;
}

/** A message as the SDK hands it out. */
export interface PaymentMessage {
  Body?: string | undefined;
}

export interface Worker {
  handle(message: PaymentMessage): Promise<string>;
  /** Deliveries that were recognised as done. */
  duplicates(): number;
  ledgerRows(): Promise<number>;
  close(): Promise<void>;
}

export function paymentOf({ Body }: PaymentMessage): Payment {
  return JSON.parse(Body ?? "") as Payment;
}
