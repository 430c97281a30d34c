"use client";

import { loadPart } from "../../_ui/load-part.tsx";
import type { User } from "../data/model.ts";

const TipButton = loadPart(() => import("../../_pay/tip-button.tsx").then((module) => module.TipButton));

/** Sends the author of a message some HBD. */
export function MessageTip({ author, address }: { author: User; address: string }) {
  return <TipButton toUsername={author.username} postUrl={address} />;
}
