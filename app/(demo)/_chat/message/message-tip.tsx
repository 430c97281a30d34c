"use client";

import dynamic from "next/dynamic";
import type { User } from "../data/model.ts";

const TipButton = dynamic(() => import("../../_pay/tip-button.tsx").then((module) => module.TipButton));

/** Sends the author of a message some HBD. */
export function MessageTip({ author, address }: { author: User; address: string }) {
  return <TipButton toUsername={author.username} postUrl={address} />;
}
