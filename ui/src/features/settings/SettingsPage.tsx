import { Page } from '@/components/page';

export default function SettingsPage() {
  return <Page title="SettingsPage">…</Page>;
}
