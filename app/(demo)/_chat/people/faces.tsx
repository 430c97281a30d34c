import { Avatar } from "../../_ui/avatar.tsx";
import { pictureOf, type User } from "../data/model.ts";

/** Pictures of people in a row, each over the edge of the one before; words beside them say who or how many these are. */
export function Faces({ users, size }: { users: readonly User[]; size: "tiny" | "small" }) {
  return (
    <span aria-hidden className="flex -space-x-1.5">
      {users.map((user) => (
        <Avatar
          key={user.id}
          size={size}
          name={user.username}
          imageUrl={pictureOf(user)}
          className="ring-2 ring-surface"
        />
      ))}
    </span>
  );
}
