import { ChooseChannel } from "../_chat/channel/choose-channel.tsx";

export default function ChatPage() {
  return <ChooseChannel />;
}
