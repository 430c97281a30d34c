import { useEffect, useState } from "react";
import { isPhone } from "../../../lib/wallet-links/is-phone.ts";
import { keepText, readText } from "../_ui/kept-text.ts";
import { hasKeychain } from "./keychain.ts";
import type { Prove } from "./use-sign-in.ts";
import type { WalletsHere } from "./wallets-here.tsx";
import type { Way } from "./way.ts";

const LAST_WAY = "hivegate.way";

/** Stores the way that has signed last, which is offered first the next time. */
export const rememberWay = (way: Way) => keepText(LAST_WAY, way);

/** Returns the same proof, which stores its way once it has succeeded, so that the next sign-in offers it first. */
export const rememberingWay =
  (way: Way, prove: Prove): Prove =>
  async (username, progress) => {
    const proof = await prove(username, progress);
    rememberWay(way);
    return proof;
  };

/**
 * Returns the ways to sign in, the one used last first, and the others in an order that suits the device, which is known
 * once the page runs in a browser.
 */
export function useWays({ hivesignerApp, hiveAuthRelay }: WalletsHere): {
  ways: readonly Way[];
  isOnPhone: boolean;
} {
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
