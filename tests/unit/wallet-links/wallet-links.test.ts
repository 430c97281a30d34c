import { decode, resolveCallback, resolveTransaction } from "hive-uri";
import { describe, expect, it } from "vitest";
import {
  ecencyGatewayLink,
  ecencySignInLink,
  ecencyTransferLink,
  hiveAuthLink,
  hiveMessageLink,
  hiveOperationLink,
  hivesignerGatewayLink,
  hivesignerOperationLink,
  hivesignerSignInLink,
  hiveTransactionLink,
  hiveTransferLink,
  keychainSignInLink,
  type Operation,
  transferLinks,
  walletAnswerUrl,
} from "../../../lib/wallet-links/index.ts";

const transfer: Operation = [
  "transfer",
  { from: "alice", to: "shop", amount: "0.050 HBD", memo: "café + té / 1=1?" },
];
const callback = "https://shop.example.com/paid?order=1&id={{id}}";
const fieldsOf = (link: string) => Object.fromEntries(new URL(link).searchParams);

describe("links to a hive:// wallet", () => {
  it.each(["hello", 'quoted "text" \\ with {"signed_message":1}', "ñandú 🐝 ?>~", "a".repeat(2000)])(
    "carry the message %j, signed with the posting key unless told otherwise",
    (message) => {
      const { tx, params } = decode(hiveMessageLink(message));
      expect(tx).toBe(message);
      expect(params).toEqual({ authority: "posting" });
    },
  );

  it("carry the account, the key and the callback of a message", () => {
    const { params } = decode(hiveMessageLink("m", { account: "alice", authority: "active", callback }));
    expect(params).toEqual({ signer: "alice", authority: "active", callback });
  });

  it("carry an operation that the wallet sends", () => {
    const { tx, params } = decode(hiveOperationLink(transfer, { callback }));
    expect(tx.operations).toEqual([transfer]);
    expect(params).toEqual({ callback });
  });

  it("carry a transaction that the wallet only signs", () => {
    const transaction = { ref_block_num: 1, operations: [transfer], extensions: [] };
    const { tx, params } = decode(hiveTransactionLink(transaction, { account: "alice" }));
    expect(tx).toEqual(transaction);
    expect(params).toEqual({ signer: "alice", no_broadcast: true });
  });
});

describe("the link that signs a browser in", () => {
  const challenge = { id: "WyJhbGljZSJd.Zm9v", message: '{"signed_message":{}}', username: "alice" };

  it("asks the account's posting key for exactly the challenge", () => {
    const { tx, params } = decode(keychainSignInLink("https://chat.example.com/", challenge));
    expect(tx).toBe(challenge.message);
    expect(params).toMatchObject({ signer: "alice", authority: "posting" });
  });

  it("has the wallet open the gateway's callback with the signature", () => {
    const { params } = decode(keychainSignInLink("https://chat.example.com", challenge));
    expect(params.callback).toBe(walletAnswerUrl("https://chat.example.com", challenge));
    expect(resolveCallback(params.callback ?? "", { sig: "1f55" })).toBe(
      `https://chat.example.com/api/auth/wallet/${challenge.id}?signature=1f55`,
    );
  });
});

describe("links that sign a browser in by a code", () => {
  const asked = { id: "WyJhbGljZSJd.Zm9v", username: "alice" };

  it("have Ecency answer at the challenge's address", () => {
    const fields = fieldsOf(ecencyGatewayLink("https://chat.example.com/", asked));
    const callback = "https://chat.example.com/api/auth/wallet/WyJhbGljZSJd.Zm9v";
    expect(fields).toEqual({ callback, request_id: "Zm9v", username: "alice" });
  });

  it("have HiveSigner return to the gateway with the challenge's id", () => {
    const link = hivesignerGatewayLink("https://chat.example.com", { ...asked, app: "our.app" });
    expect(fieldsOf(link)).toMatchObject({
      ...{ client_id: "our.app", state: asked.id, account: "alice" },
      redirect_uri: "https://chat.example.com/api/auth/hivesigner",
    });
  });
});

describe("links to Ecency", () => {
  it("ask it to sign its user in", () => {
    const link = ecencySignInLink({ callback, requestId: "r&1", account: "alice" });
    expect(link).toMatch(/^ecency:\/\/auth-request\?/);
    expect(fieldsOf(link)).toEqual({ callback, request_id: "r&1", username: "alice" });
  });

  it("leave out what is not given", () => {
    expect(fieldsOf(ecencySignInLink({ callback }))).toEqual({ callback });
  });

  it("have it send a transfer", () => {
    const [, fields] = transfer;
    const link = ecencyTransferLink(fields as Parameters<typeof ecencyTransferLink>[0], { callback });
    expect(link).toMatch(/^ecency:\/\/transfer\?/);
    const { amount: _amount, ...rest } = fields as Record<string, string>;
    expect(fieldsOf(link)).toEqual({ ...rest, amount: "0.050", asset: "HBD", callback });
  });
});

describe("links to HiveSigner", () => {
  it("ask for a code that the account signs for the app", () => {
    const link = hivesignerSignInLink({ app: "our.app", redirectUri: callback, state: "s=1" });
    expect(link).toMatch(/^https:\/\/hivesigner\.com\/oauth2\/authorize\?/);
    expect(fieldsOf(link)).toEqual({
      ...{ client_id: "our.app", redirect_uri: callback, state: "s=1" },
      ...{ response_type: "code", scope: "login" },
    });
  });

  it("have it send an operation", () => {
    const link = hivesignerOperationLink(transfer, { redirectUri: callback });
    expect(link).toMatch(/^https:\/\/hivesigner\.com\/sign\/transfer\?/);
    expect(fieldsOf(link)).toEqual({ ...transfer[1], redirect_uri: callback });
  });
});

describe("the links with which wallets send a transfer", () => {
  const sent = { to: "shop", amount: "0.050 HBD", memo: "x402:ABC?~ñ" };

  it("carry one transfer from the account that opens a hive:// wallet", () => {
    const { tx, params } = decode(hiveTransferLink(sent));
    expect(params).toEqual({});
    const opened = resolveTransaction(tx, params, {
      ...{ signers: ["alice"], preferred_signer: "alice" },
      ...{ ref_block_num: 1, ref_block_prefix: 2, expiration: "2026-01-31T12:00:00" },
    });
    expect(opened.tx.operations).toEqual([["transfer", { from: "alice", ...sent }]]);
    expect(transferLinks(sent).keychain).toBe(hiveTransferLink(sent));
  });

  it("carry the same transfer to Ecency and HiveSigner, without a sender", () => {
    const { ecency, hivesigner } = transferLinks(sent, { returnTo: "https://shop.example.com/a?b=1" });
    expect(fieldsOf(ecency)).toEqual({ ...sent, amount: "0.050", asset: "HBD" });
    expect(fieldsOf(hivesigner)).toEqual({ ...sent, redirect_uri: "https://shop.example.com/a?b=1" });
    expect(fieldsOf(transferLinks(sent).hivesigner)).toEqual(sent);
  });
});

describe("a link to a wallet of HiveAuth", () => {
  it("carries what the wallet needs to answer at the relay", () => {
    const request = { account: "alice", uuid: "u-1", key: "k-1", host: "wss://relay.example.com" };
    const link = hiveAuthLink(request);
    expect(link).toMatch(/^has:\/\/auth_req\//);
    expect(JSON.parse(Buffer.from(link.slice("has://auth_req/".length), "base64").toString())).toEqual(
      request,
    );
  });
});
