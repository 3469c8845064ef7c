// Hands each message on to the downstream; what it refuses fails the batch.

export async function handler({ Records }) {
  for (const { body } of Records) {
    const response = await fetch(process.env.DOWNSTREAM, { method: "POST", body });
    if (!response.ok) throw new Error(`${response.status} from the downstream`);
  }
}
