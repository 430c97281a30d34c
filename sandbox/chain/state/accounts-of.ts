import type { Operation } from "../../../lib/hive/transaction.ts";

/** The accounts whose history an operation is part of, each once. */
export function accountsOf(operation: Operation): string[] {
  switch (operation.type) {
    case "transfer":
      return [...new Set([operation.from, operation.to])];
    case "account_create":
      return [...new Set([operation.creator, operation.new_account_name])];
    case "account_update":
    case "account_update2":
      return [operation.account];
    case "custom_json":
      return [...new Set([...operation.required_auths, ...operation.required_posting_auths])];
  }
}
