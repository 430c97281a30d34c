"use client";

import Link from "next/link";
import { readSignedInAccount } from "../_pay/load-accounts.ts";
import { useLoaded } from "../_pay/use-loaded.ts";
import { Avatar } from "../_ui/avatar.tsx";
import { strings } from "./frame-texts.en.ts";

/** The signed-in user, as a link to their account. Renders nothing without one. */
export function SignedIn() {
  const { data: name } = useLoaded("signed-in account", readSignedInAccount);
  if (name === null) return null;
  return (
    <Link
      href="/"
      prefetch={false}
      aria-label={strings.signedIn.title(name)}
      title={strings.signedIn.title(name)}
      className="flex items-center gap-2 rounded-lg p-1.5 hover:bg-sunken pointer-coarse:min-h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center"
    >
      <Avatar size="small" name={name} />
      <span className="max-w-32 truncate max-sm:hidden">{name}</span>
    </Link>
  );
}
