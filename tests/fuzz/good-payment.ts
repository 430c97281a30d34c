const requirements = {
  x402Version: 1,
  scheme: "exact",
  network: "chain:sandbox",
  maxAmountRequired: "0.050 HBD",
  resource: "http://shop.example/articles/one",
  payTo: "shop",
  validBefore: "{validBefore}",
};

const payload = {
  x402Version: 1,
  scheme: "exact",
  network: "chain:sandbox",
  payload: {
    signedTransaction: {
      ref_block_num: "{refBlockNum}",
      ref_block_prefix: "{refBlockPrefix}",
      expiration: "{expiration}",
      operations: [["transfer", { from: "alice", to: "shop", amount: "0.050 HBD", memo: "x402:{nonce}" }]],
      extensions: [],
      signatures: ["{signature}"],
    },
    nonce: "{nonce}",
  },
};

/**
 * A valid request to a facilitator, as JSON whose `{names}` the sender fills in. Names of numbers include
 * their quotation marks.
 */
export const paymentRequest = JSON.stringify({
  x402Version: 1,
  paymentPayload: payload,
  paymentRequirements: requirements,
});

/** The content of a payment header before base64. */
export const paymentPayload = JSON.stringify(payload);
