import { useEffect, useState } from "react";
import { isPhone } from "../../../lib/wallet-links/is-phone.ts";
import { keepText, readText } from "../_ui/kept-text.ts";
import { hasKeychain } from "./keychain.ts";
import type { Prove } from "./sign-in.ts";
import { useWalletsHere } from "./wallets-here.tsx";

const elsewhereWays = ["phone", "hiveauth", "ecency", "hivesigner"] as const;

/** A wallet outside of this page: Keychain's app on a phone, or any wallet of another service. */
export type ElsewhereWay = (typeof elsewhereWays)[number];

/** Returns whether a value names a wallet outside of this page. */
export const isElsewhereWay = (way: unknown): way is ElsewhereWay =>
  elsewhereWays.some((known) => known === way);

/** A wallet that signs in: Keychain's extension in this browser, or one elsewhere. */
export type Way = "keychain" | ElsewhereWay;

const LAST_WAY = "hivegate.way";

/** Returns the same proof, which stores its way once it has succeeded, so that the next sign-in offers it first. */
export const rememberingWay =
  (way: Way, prove: Prove): Prove =>
  async (username, progress) => {
    const proof = await prove(username, progress);
    keepText(LAST_WAY, way);
    return proof;
  };

/**
 * Returns the ways to sign in, the one used last first, and the others in an order that suits the device, which is known
 * once the page runs in a browser.
 */
export function useWays(): { ways: readonly Way[]; isOnPhone: boolean } {
  const { hivesignerApp, hiveAuthRelay } = useWalletsHere();
  const [{ isOnPhone, isKeychainFirst, last }, setDevice] = useState({
    isOnPhone: false,
    isKeychainFirst: true,
    last: null as string | null,
  });
  useEffect(() => {
    const isOnPhone = isPhone();
    setDevice({ isOnPhone, isKeychainFirst: !isOnPhone || hasKeychain(), last: readText(LAST_WAY) });
  }, []);
  const elsewhere: readonly Way[] = [
    "phone",
    // The answer of Ecency's app comes to this device.
    ...(isOnPhone ? (["ecency"] as const) : []),
    ...(hiveAuthRelay === null ? [] : (["hiveauth"] as const)),
    ...(hivesignerApp === null ? [] : (["hivesigner"] as const)),
  ];
  const suitable: readonly Way[] = isKeychainFirst ? ["keychain", ...elsewhere] : [...elsewhere, "keychain"];
  const first = suitable.filter((way) => way === last);
  return { ways: [...first, ...suitable.filter((way) => way !== last)], isOnPhone };
}
