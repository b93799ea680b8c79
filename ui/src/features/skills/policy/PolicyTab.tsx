import { Page } from '@/components/page';

export default function PolicyTab() {
  return <Page title="PolicyTab">…</Page>;
}
