import { Page } from '@/components/page';

export default function GovernancePage() {
  return <Page title="GovernancePage">…</Page>;
}
