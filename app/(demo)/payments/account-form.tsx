"use client";

import type { FormEvent } from "react";
import { MAX_TYPED_NAME, readAccountName } from "../_session/read-account-name.ts";
import { Button } from "../_ui/button.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { strings } from "./strings.en.ts";

/** Whose payments are shown: a name to type in. */
export function AccountForm({ account, onChoose }: { account: string; onChoose: (account: string) => void }) {
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
