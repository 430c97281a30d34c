import { createHash } from "node:crypto";
import { type Approval, type Approvals, createApprovals } from "../approvals/approvals.ts";
import { createConsent } from "../approvals/consent.ts";
import { underSignals } from "../async/time-limits.ts";
import { formatMils, NO_MILS, parseMils, subtractMils } from "../mils.ts";
import { callNode } from "../x402/client/call-node.ts";
import { toChain } from "../x402/client/chain.ts";
import { createPayingFetch, PaymentError, type Quote } from "../x402/client/index.ts";
import { confirmPayment } from "../x402/client/made-payment.ts";
import { readHosts } from "../x402/hosts.ts";
import { createFileStore } from "./file-store.ts";
import { openOwnersChat } from "./owners-chat.ts";
import { type PageAnswer, readPage } from "./read-page.ts";
import { createReceipts, type Receipts } from "./receipts.ts";
import { ASKED_MS, approvalsKept, filesOf, type Keys, type Settings } from "./settings.ts";
import { WalletError } from "./wallet-error.ts";

/** Shorter than the timeout of an MCP client, which is a minute. Repeating the call continues the payment. */
const PAY_MS = 55_000;
const QUOTE_MS = 20_000;

/** A request that an agent wants to pay for. */
export type WalletRequest = {
  url: string;
  method: string;
  body?: string | undefined;
  contentType?: string | undefined;
  /** One line for the owner, if the payment has to be approved. */
  reason?: string | undefined;
};

/** The outcome of a paid request: the page, or a payment that its owner has to approve first. */
export type Paid = { kind: "page"; page: PageAnswer } | { kind: "waiting"; approval: Approval };

/** A wallet with its owner's limits. */
export type Wallet = {
  /** Asks for a price without paying. @throws PaymentError, WalletError, the errors of `fetch` */
  quote(request: WalletRequest, signal: AbortSignal): Promise<Quote>;
  /** Requests a page and pays for it within the limits. @throws as `quote` does */
  pay(request: WalletRequest, signal: AbortSignal): Promise<Paid>;
  /** Returns the account's HBD, such as "0.050 HBD". @throws PaymentError */
  balance(): Promise<string>;
  /** @throws PaymentError */
  spent(): Promise<string>;
  receipts: Receipts;
  approvals: Approvals;
  settings: Settings;
  /** Disconnects from the chat. */
  close(): void;
};

/** Opens a wallet. @throws TypeError for invalid settings */
export function openWallet(folder: string, settings: Settings, { activeKey, postingKey }: Keys): Wallet {
  const { account, allowedHosts, allowedPayees, allowUpfront, payUpTo, maxPayment, perDay } = settings;
  const { network, chainId, nodes, signedOffers } = settings;
  const files = filesOf(folder);
  const store = createFileStore(files.records);
  const approvals = createApprovals(store, {
    ...approvalsKept,
    ...(settings.chat && { waitingMs: ASKED_MS }),
  });
  const receipts = createReceipts(files.receipts);
  const hosts = readHosts(allowedHosts, "allowedHosts");
  const chain = { ...(network && { network }), ...(chainId && { chainId }), ...(nodes && { nodes }) };
  const { nodes: chainNodes } = toChain(chain);
  const chat = openOwnersChat({ settings, postingKey, approvals, nodes: chainNodes });
  const consent = createConsent({
    ...{ approvals, door: chat?.door ?? null, readLeft },
    payUpToMils: payUpTo === undefined ? NO_MILS : (parseMils(payUpTo) ?? NO_MILS),
    confirm: (made) => confirmPayment(chainNodes, made),
  });

  const payingFetch = createPayingFetch({
    ...{ account, activeKey, maxPayment, approve: consent.approve, allowedHosts, ...chain },
    ...(postingKey !== undefined && { postingKey }),
    ...(allowedPayees && { allowedPayees }),
    ...(allowUpfront !== undefined && { allowUpfront }),
    ...(signedOffers && { signedOffers }),
    budget: { perDay, store },
    onPayment: (payment) => {
      consent.onPayment(payment);
      return receipts.add(payment);
    },
  });

  async function readLeft(): Promise<string> {
    const { lastDay } = await payingFetch.spent();
    return formatMils(subtractMils(parseMils(perDay) ?? NO_MILS, parseMils(lastDay) ?? NO_MILS));
  }

  /** @throws WalletError for an address that the owner has not allowed */
  const checkAddress = (text: string): URL => {
    if (!URL.canParse(text)) throw new WalletError("The url must be an absolute address.");
    const url = new URL(text);
    const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal))
      throw new WalletError("Only https addresses may be asked, and http ones on this machine.");
    if (url.username !== "" || url.password !== "")
      throw new WalletError("The url must not contain a user name or password.");
    if (!hosts.includes(url)) throw new WalletError("This host is not among the owner's allowedHosts.");
    return url;
  };

  const initOf = ({ method, body, contentType }: WalletRequest, signal: AbortSignal): RequestInit => ({
    ...{ method, signal },
    ...(body !== undefined && { body, headers: { "content-type": contentType ?? "application/json" } }),
    // A redirect's target is another request, which needs its own permission.
    redirect: "manual",
  });

  return {
    async quote(request, signal) {
      const url = checkAddress(request.url);
      return underSignals([signal, AbortSignal.timeout(QUOTE_MS)], (until) =>
        payingFetch.quote(url, initOf(request, until)),
      );
    },
    async pay(request, signal) {
      const url = checkAddress(request.url);
      const seen: { asked: Approval | null } = { asked: null };
      try {
        return await consent.run({ request: hashOf(request, url), reason: request.reason }, async (call) => {
          try {
            const page = await underSignals([signal, AbortSignal.timeout(PAY_MS)], async (until) =>
              readPage(await payingFetch(url, initOf(request, until))),
            );
            return { kind: "page", page };
          } finally {
            if (!call.taken) seen.asked = call.asked;
          }
        });
      } catch (error) {
        const isWaiting = error instanceof PaymentError && error.code === "not_approved";
        const approval = (await approvals.list()).find((one) => one.id === seen.asked?.id);
        if (isWaiting && approval) return { kind: "waiting", approval };
        throw error;
      }
    },
    async balance() {
      for (const node of chainNodes) {
        const accounts = await callNode(node, "condenser_api.get_accounts", [[account]]).catch(() => null);
        const { hbd_balance: text } = (Array.isArray(accounts) ? accounts[0] : undefined) ?? {};
        const mils = typeof text === "string" ? parseMils(text.replace(/ [A-Z]+$/, " HBD")) : null;
        if (mils !== null) return formatMils(mils);
      }
      throw new PaymentError("chain_unavailable", "No node returns the balance of the account.");
    },
    spent: async () => (await payingFetch.spent()).lastDay,
    ...{ receipts, approvals, settings },
    close: () => chat?.close(),
  };
}

const hashOf = ({ method, body = "", contentType = "" }: WalletRequest, { href }: URL) =>
  createHash("sha256")
    .update(JSON.stringify([method, href, contentType, body]))
    .digest("hex");
