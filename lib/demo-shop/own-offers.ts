import type { Config } from "../config.ts";
import type { Services } from "../services/services.ts";
import type { AskSeller } from "../x402/discovery/ask-seller.ts";
import { articles } from "./articles.ts";
import { isShopOpen } from "./payee.ts";
import { sellArticle } from "./sell.ts";

const FOLDER = "/api/demo/articles/";

/** Returns the addresses that this server sells: none if no account is paid. */
export const ownResources = (config: Pick<Config, "publicUrl" | "x402">): string[] =>
  isShopOpen(config) ? articles.map(({ slug }) => new URL(FOLDER + slug, config.publicUrl).href) : [];

/** Sells an article as `sellArticle` does, and lets the catalogue list it. */
export function sellListedArticle(services: Services, request: Request, slug: string): Promise<Response> {
  services.answerForOwn((address) => askOwnShop(services, address));
  return sellArticle(services, request, slug);
}

/**
 * Returns this server's answer to a request for one of its articles, asked within the process: a server need not reach
 * itself by its public address. `null` for every other address.
 */
function askOwnShop(services: Services, address: string): ReturnType<AskSeller> | null {
  const url = new URL(address);
  const slug = url.pathname.startsWith(FOLDER) ? url.pathname.slice(FOLDER.length) : null;
  if (slug === null || !isOwn(url, services.config)) return null;
  return answerFor(services, url, slug);
}

async function answerFor(services: Services, url: URL, slug: string) {
  const request = new Request(url, { headers: { accept: "application/json" } });
  const response = await sellArticle(services, request, slug);
  const text = await response.text();
  return { status: response.status, header: (name: string) => response.headers.get(name), text };
}

/** The sandbox's visitors reach it by any name of their own machine. */
function isOwn({ origin, hostname }: URL, { publicUrl, sandbox }: Config): boolean {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return origin === new URL(publicUrl).origin || (sandbox !== null && isLocal);
}
