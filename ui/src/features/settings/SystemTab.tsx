import { Page } from '@/components/page';

export default function SystemTab() {
  return <Page title="SystemTab">…</Page>;
}
