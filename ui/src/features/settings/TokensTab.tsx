import { Page } from '@/components/page';

export default function TokensTab() {
  return <Page title="TokensTab">…</Page>;
}
