import { Page } from '@/components/page';

export default function ConversationPage() {
  return <Page title="ConversationPage">…</Page>;
}
