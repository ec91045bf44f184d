package config

// Tables of the case file, for tests from outside.
var Tables = caseLanguage().Tables
