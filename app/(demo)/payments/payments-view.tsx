"use client";

import { useRouter, useSearchParams } from "next/navigation";
import type { FormEvent } from "react";
import { readSessionName } from "../_pay/load-payers.ts";
import { useLoaded } from "../_pay/use-loaded.ts";
import { MAX_TYPED_NAME, readAccountName } from "../_session/accounts.ts";
import { SignInPanel } from "../_session/sign-in-panel.tsx";
import { Button } from "../_ui/button.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { PaymentHistory } from "./payment-history.tsx";
import { strings } from "./strings.en.ts";

/** The payments of the account in the address, else of who is signed in, else the choice. */
export function PaymentsView() {
  const router = useRouter();
  const asked = useSearchParams().get("account");
  const session = useLoaded(asked === null ? "session" : null, readSessionName);
  const show = (account: string) => router.push(`/payments?account=${encodeURIComponent(account)}`);

  if (asked === null && session.status === "loading") return <Skeleton className="mt-8 h-72 rounded-2xl" />;
  const account = asked ?? session.data;
  if (account === null)
    return (
      <section className="mt-8 rounded-2xl border border-line bg-surface p-5 sm:p-7">
        <h2 className="text-lg font-semibold">{strings.choose}</h2>
        <p className="mt-1 mb-5 text-sm text-ink-soft">{strings.chooseHint}</p>
        <AccountForm account="" onChoose={show} />
        <div className="mt-6 border-t border-line pt-6">
          <SignInPanel onSignedIn={show} />
        </div>
      </section>
    );
  return (
    <div className="mt-6 space-y-6">
      <AccountForm account={account} onChoose={show} />
      <PaymentHistory account={account} />
    </div>
  );
}

/** Whose payments are shown: a name to type in. */
function AccountForm({ account, onChoose }: { account: string; onChoose: (account: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = readAccountName(String(new FormData(event.currentTarget).get("account")));
    if (name !== "") onChoose(name);
  };
  return (
    <form key={account} onSubmit={submit} className="flex items-end gap-2">
      <TextField
        name="account"
        label={strings.account}
        defaultValue={account}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_TYPED_NAME}
        required
        className="min-w-0 grow sm:max-w-60"
      />
      <Button type="submit" className="h-11">
        {strings.show}
      </Button>
    </form>
  );
}
