"use client";

import { Avatar } from "../_ui/avatar.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import type { SandboxAccount } from "./sandbox-accounts.ts";
import { strings } from "./strings.en.ts";

/** The sandbox's accounts, each a button that signs in. */
export function SandboxSignIn({
  accounts,
  busyName,
  onChoose,
}: {
  accounts: readonly SandboxAccount[] | undefined;
  busyName: string | null;
  onChoose: (account: SandboxAccount) => void;
}) {
  return (
    <section aria-labelledby="sandbox-accounts">
      <h2 id="sandbox-accounts" className="font-semibold">
        {strings.sandbox.title}
      </h2>
      <p className="mt-1 text-sm text-ink-soft">{strings.sandbox.hint}</p>
      <ul className="mt-4 grid grid-cols-2 gap-2 sm:grid-cols-3">
        {accounts
          ? accounts.map((account) => (
              <li key={account.name}>
                <button
                  type="button"
                  aria-label={strings.sandbox.signInAs(account.name)}
                  aria-busy={busyName === account.name}
                  disabled={busyName !== null}
                  onClick={() => onChoose(account)}
                  className="flex w-full items-center gap-2 rounded-xl border border-line bg-raised px-2 py-3 text-left transition-colors hover:border-accent-text disabled:opacity-60"
                >
                  <Avatar name={account.name} />
                  <span className="min-w-0">
                    <span className="block truncate font-medium">{account.name}</span>
                    <span className="block truncate text-[0.7rem] text-ink-soft tabular-nums">
                      {account.hbd}
                    </span>
                  </span>
                </button>
              </li>
            ))
          : ["a", "b", "c", "d", "e", "f"].map((key) => (
              <li key={key}>
                <Skeleton className="h-[4.1rem] rounded-xl" />
              </li>
            ))}
      </ul>
    </section>
  );
}
