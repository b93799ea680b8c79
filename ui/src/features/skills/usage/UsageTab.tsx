import { Page } from '@/components/page';

export default function UsageTab() {
  return <Page title="UsageTab">…</Page>;
}
