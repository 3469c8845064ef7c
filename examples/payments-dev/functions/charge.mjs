// Charges payments. What cannot be charged is named, so that it alone comes back, and ends in the dead-letter queue
// after three tries.

/** Delivery is at least once: a payment that was charged is not charged again. */
const charged = new Set();

export async function handler({ Records }) {
  const batchItemFailures = [];
  for (const { messageId, body } of Records) {
    const payment = JSON.parse(body);
    if (charged.has(payment.id)) continue;
    try {
      charge(payment);
      charged.add(payment.id);
    } catch (error) {
      console.log(`${payment.id} failed: ${error.message}`);
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
}

function charge({ id, amount }) {
  if (!(amount > 0)) throw new Error(`an amount of ${amount}`);
  console.log(`${id} charged: ${amount} ${process.env.CURRENCY}`);
}
