import { useEffect, useState } from "react";
import { isPhone } from "../../../lib/wallet-links/is-phone.ts";
import { keepText, readText } from "../_ui/kept-text.ts";
import { hasKeychain } from "./keychain.ts";
import type { Prove } from "./sign-in.ts";

/** A wallet that signs in: Keychain's extension in this browser, or Keychain's app on a phone. */
export type Way = "keychain" | "phone";

const usualWays: readonly Way[] = ["keychain", "phone"];
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
 * Returns the ways to sign in, the one used last first, and otherwise the one that suits the device, which is known
 * once the page runs in a browser.
 */
export function useWays(): { ways: readonly Way[]; isOnPhone: boolean } {
  const [ways, setWays] = useState(usualWays);
  const [isOnPhone, setIsOnPhone] = useState(false);
  useEffect(() => {
    setIsOnPhone(isPhone());
    const last = readText(LAST_WAY);
    const suitable: Way = isPhone() && !hasKeychain() ? "phone" : "keychain";
    const first = usualWays.find((way) => way === last) ?? suitable;
    setWays([first, ...usualWays.filter((way) => way !== first)]);
  }, []);
  return { ways, isOnPhone };
}
